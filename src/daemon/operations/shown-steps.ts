/** Steps that a run shows when all are not asked for: the last ones (contract 5). */
export const shownSteps = 1_000;
