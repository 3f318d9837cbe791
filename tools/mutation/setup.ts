import fc from "fast-check";

/* One seed, so that a mutant is killed or survives in every run alike; and no shrinking, which only people need. */
fc.configureGlobal({ seed: 1, numRuns: 20, endOnFailure: true });
