/** Owns the one preference a customer can save: the language, with explicit consent. It changes the default of later cases and nothing else. */
import { type Clock, toInstant } from "../domain/clock.js";
import { Language } from "../domain/ids.js";
import type { Applicant, Preferences } from "../domain/ports.js";
import type { ApplicationDb } from "./application-database.js";

export type PreferenceStore = Preferences & { save(owner: Applicant, language: Language): Promise<void> };

export function createPreferenceStore(deps: { db: ApplicationDb; clock: Clock }): PreferenceStore {
  const { db, clock } = deps;
  return {
    async language({ tenant, user }) {
      const row = await db
        .selectFrom("preferences")
        .select("language")
        .where("tenant", "=", tenant)
        .where("user_name", "=", user)
        .executeTakeFirst();
      return row === undefined ? null : Language.parse(row.language);
    },
    async save({ tenant, user }, language) {
      const saved = { language, consented_at: toInstant(clock.nowMs()) };
      await db
        .insertInto("preferences")
        .values({ tenant, user_name: user, ...saved })
        .onConflict((conflict) => conflict.columns(["tenant", "user_name"]).doUpdateSet(saved))
        .execute();
    },
  };
}
