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

/** Whole days from one calendar day to another, both `YYYY-MM-DD`; negative when `to` lies before `from`. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000);
}
