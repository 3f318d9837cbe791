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

/** The JSON of an object is longer than etcd would take. The message is etcd's. */
export class RequestTooLargeError extends FairleadError {
  constructor() {
    super("StoredTooLarge", "etcdserver: request is too large");
  }
}
