import { FairleadError } from "@fairlead/base";

/** An expression that Go does not compile. The message is Go's. */
export class GoRegExpError extends FairleadError {
  constructor(code: string, part: string) {
    super("BadRegExp", `error parsing regexp: ${code}: \`${part}\``);
  }
}
