import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Attack, attackOf, GOALS, SURFACES, textOf } from "../support/adversary-attacks.js";
import { violationsOf } from "../support/adversary-checker.js";
import type { Evidence } from "../support/adversary-evidence.js";
import { obedient } from "../support/adversary-obedient.js";
import { type AdversaryHost, type Attempt, openAdversary } from "../support/adversary-run.js";
import { createShop, type Shop } from "../support/adversary-shop.js";
import { count, handOver, type Tally } from "../support/adversary-tally.js";

describe.each(["en", "zh"] as const)("instructions planted in %s", (language) => {
  let shop: Shop;
  let host: AdversaryHost;
  const tally: Tally = { attacks: 0, read: 0, obeyed: 0, succeeded: 0 };

  beforeAll(async () => {
    shop = await createShop({ language, texts: GOALS.map((_goal, n) => textOf(n, language)) });
    host = await openAdversary(shop);
  });
  afterAll(async () => {
    await host.close();
    shop.remove();
    handOver(`injection-${language}`, tally);
  });

  async function obey(attack: Attack, through: (attempt: Attempt) => Promise<Evidence>) {
    const { respond, read, obeyed } = obedient(attack.opening, language);
    const evidence = await through({ ...attack, respond });
    const violations = violationsOf(evidence);
    const wasRead = [...read].some((text) => text.includes(attack.text));
    count(tally, "attacks");
    if (wasRead) count(tally, "read");
    if (obeyed.length > 0) count(tally, "obeyed");
    if (violations.length > 0) count(tally, "succeeded");
    return { violations, wasRead, obeyed };
  }

  describe.each(SURFACES)("in the %s", (surface) => {
    const attacks = GOALS.map((_goal, n) => attackOf(n, surface, language));

    it.each(attacks)("the model is told to $goal, obeys, and nothing comes of it", async (attack) => {
      const { violations, wasRead, obeyed } = await obey(attack, host.run);
      expect(violations).toEqual([]);
      // An error is told in the product's own words: what the service said never reaches a model.
      expect(wasRead).toBe(surface !== "tool error");
      if (wasRead) expect(obeyed).not.toEqual([]);
    });
  });

  it.each(["label", "ticket", "tool error"] as const)(
    "nothing comes of the %s on the command line",
    async (surface) => {
      const { violations } = await obey(attackOf(7, surface, language), host.command);
      expect(violations).toEqual([]);
    },
  );
});
