/** Owns what a waiting case says about how its decision is signed. */
import type { Identity } from "../domain/identity.js";
import type { Signing } from "../nodes/unit.js";

/** Where everybody acts under an identity of their own. */
export const OWN_NAME: Signing = {
  by: "YOUR-USER-NAME",
  note: {
    en: "Sign with the user name you act under: a decision in another name is refused.",
    zh: "请以您当前身份的用户名签署：以他人名义作出的决定会被拒绝。",
  },
};

/** On a local server without a login: its operator vouches for the one named reviewer, or for none. */
export function localSigning(customer: Identity, reviewer: Identity | null): Signing {
  const { user } = customer;
  if (reviewer === null) {
    return {
      by: "REVIEWER",
      note: {
        en: `No reviewer is named on this server, so approve and reject are refused. Stop it, set AFTERSALES_STUDIO_REVIEWER to a reviewer (for example chen) and start it again. requote and withdraw count as ${user}'s.`,
        zh: `此服务器没有指定审核员，因此批准和拒绝都会被拒绝。请停止它，把 AFTERSALES_STUDIO_REVIEWER 设为一位审核员（例如 chen）后重新启动。requote 和 withdraw 算作 ${user} 的操作。`,
      },
    };
  }
  return {
    by: reviewer.user,
    note: {
      en: `approve and reject signed "${reviewer.user}" count as that reviewer's, because the operator of this server said so in AFTERSALES_STUDIO_REVIEWER. withdraw has to be signed "${user}".`,
      zh: `以 "${reviewer.user}" 签署的批准和拒绝算作该审核员的决定，因为服务器的操作者在 AFTERSALES_STUDIO_REVIEWER 中作了指定。withdraw 须以 "${user}" 签署。`,
    },
  };
}
