/** Owns time. Two different clocks on purpose: the runtime clock judges leases and approvals, the business date judges refund windows. */

/** Milliseconds since 1970 in UTC, as the runtime sees it. Injected everywhere; shipped programs use the system clock. */
export type Clock = { nowMs: () => number };

/** The same clock, except that it stands still while the other one has been set back: a lease or an approval that has ended stays ended. */
export function neverBackwards({ nowMs }: Clock): Clock {
  let latest = Number.NEGATIVE_INFINITY;
  return {
    nowMs: () => {
      latest = Math.max(latest, nowMs());
      return latest;
    },
  };
}

/** `YYYY-MM-DDTHH:MM:SS.mmmZ` of a moment in milliseconds. */
export function toInstant(ms: number): string {
  return new Date(ms).toISOString();
}

/** The twelve months up to and including a calendar day, both ends `YYYY-MM-DD` and included. */
export function yearUpTo(day: string): { from: string; to: string } {
  const [year = 0, month = 0, date = 0] = day.split("-").map(Number);
  // The year before a leap day has none: its twelve months begin on 1 March.
  const first = month === 2 && date === 29 ? date : date + 1;
  return { from: toInstant(Date.UTC(year - 1, month - 1, first)).slice(0, "YYYY-MM-DD".length), to: day };
}

/** Whole days from one calendar day to another, both `YYYY-MM-DD`; negative when `to` lies before `from`. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000);
}
