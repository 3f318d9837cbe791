import { FairleadError } from "@fairlead/base";

/** The asked-for revision is older than the history that is kept. */
export class CompactedError extends FairleadError {
  readonly revision: number;
  readonly oldest: number;

  constructor(revision: number, oldest: number) {
    super("Compacted", `revision ${revision} is compacted; the oldest kept is ${oldest}`);
    this.revision = revision;
    this.oldest = oldest;
  }
}
