/** Owns counting repeated trials: how often each case did all that code can observe, and whether it did so every time (pass^k). */

export type Trial = { caseId: string; observations: Record<string, boolean> | null };
export type TrialReport = {
  trials: number;
  cases: { case: string; passed: number; trials: number; passAllTrials: boolean; missed: string[] }[];
  /** The share of cases that passed in every one of their trials. */
  passPowerK: number;
};

/** A trial that ended in an error is one that did not pass. */
export function countTrials(results: readonly Trial[], trials: number): TrialReport {
  const ids = [...new Set(results.map(({ caseId }) => caseId))];
  const cases = ids.map((id) => {
    const own = results.filter(({ caseId }) => caseId === id);
    const missedIn = own.map(({ observations }) =>
      observations === null ? ["error"] : Object.keys(observations).filter((name) => observations[name] !== true),
    );
    const passed = missedIn.filter((missed) => missed.length === 0).length;
    return {
      case: id,
      passed,
      trials: own.length,
      passAllTrials: passed === trials,
      missed: [...new Set(missedIn.flat())],
    };
  });
  const all = cases.filter(({ passAllTrials }) => passAllTrials).length;
  return { trials, cases, passPowerK: cases.length === 0 ? 0 : all / cases.length };
}
