import { FairleadError } from "@fairlead/base";

/** Text that is no YAML. The message is what the Go library behind Kubernetes says: `yaml: line 3: did not find …`. */
export class YamlError extends FairleadError {
  constructor(message: string) {
    super("YamlSyntax", message);
  }
}

/**
 * A fault found while characters become tokens.
 *
 * @param line - Where it was found, from 0. The Go library tells it from 1, and never tells the first.
 */
export function scannerError(problem: string, line: number): YamlError {
  return new YamlError(`yaml: ${line === 0 ? "" : `line ${line + 1}: `}${problem}`);
}

/**
 * A fault found while tokens become nodes.
 *
 * @param line - Of the token that does not fit, from 0. The Go library tells it as it is, and never tells the first.
 */
export function parserError(problem: string, line: number): YamlError {
  return new YamlError(`yaml: ${line === 0 ? "" : `line ${line}: `}${problem}`);
}
