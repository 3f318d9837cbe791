export { runSuite, type Choice, type SuiteOptions, type Totals } from "./run.js";
export type { Answer } from "./suite/digest.js";
export { casesOf, recordings, type Case, type RecordedRequest, type Step } from "./suite/recordings.js";
export { replayCase, type Outcome } from "./suite/replay.js";
export { isRequired, NOT_YET } from "./suite/required.js";
export type { Target } from "./suite/target.js";
export { embeddedTarget } from "./targets/embedded.js";
