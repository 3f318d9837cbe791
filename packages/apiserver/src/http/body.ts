import {
  bodyText,
  header,
  JsonLimitError,
  JsonSyntaxError,
  parseJson,
  type HttpRequest,
  type HttpResponse,
  type JsonValue,
  type ParseOptions,
} from "@fairlead/base";

import { parseYaml, YamlError, type YamlBody } from "@fairlead/apimachinery/yaml";

import { OBJECT_BOUNDS, YAML_BOUNDS } from "../registry/bounds.js";
import { quoteBody } from "../registry/check-kind.js";
import type { ParsedBody } from "../registry/decode.js";
import { badRequest, tooLarge, unsupportedMediaType } from "../registry/failures.js";
import type { ParsedPatch, PatchType } from "../registry/patch.js";

export const BODY_LIMIT: number = 3 * 1024 * 1024;
export const OBJECT_TYPES: readonly string[] = [
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
];

/** The media type of a request without its parameters; JSON when there is none. */
export function contentType(request: HttpRequest): string {
  const given = header(request.headers, "content-type");
  return given === undefined || given === "" ? "application/json" : (given.split(";")[0] ?? "").trim();
}

/** The bytes of a body as text. @throws StatusError 413 */
export async function readText(request: HttpRequest): Promise<string> {
  const body = request.body ?? "";
  if (body.length > BODY_LIMIT) throw tooLarge(`Request entity too large: limit is ${BODY_LIMIT}`);
  return typeof body === "string" ? body : bodyText({ status: 0, headers: {}, body } satisfies HttpResponse);
}

/**
 * The body of an object, of options or of a review.
 *
 * @param kind - For messages: the kind that the body should be of.
 * @throws StatusError 400, 413, 415
 */
export async function readObjectBody(request: HttpRequest, kind: string): Promise<ParsedBody> {
  const type = contentType(request);
  if (type === "application/vnd.kubernetes.protobuf") {
    const { body } = request;
    if (body === undefined || body.length === 0) return { value: null, duplicates: [], format: "protobuf", text: "" };
    if (body.length > BODY_LIMIT) throw tooLarge(`Request entity too large: limit is ${BODY_LIMIT}`);
    const { decodeProtobuf } = await import("./protobuf/decode.js");
    return {
      value: decodeProtobuf(typeof body === "string" ? new TextEncoder().encode(body) : body),
      duplicates: [],
      format: "protobuf",
      text: "",
    };
  }
  if (type !== "application/json" && type !== "application/yaml") {
    throw unsupportedMediaType(
      `the body of the request was in an unknown format - accepted media types include: ${OBJECT_TYPES.join(", ")}`,
    );
  }
  const text = await readText(request);
  if (type === "application/yaml") return yamlBody(request, text, kind);
  const duplicates: string[] = [];
  try {
    const value = parseBounded(text, {
      onDuplicateKey: ({ path }) => duplicates.push(`duplicate field ${JSON.stringify(path)}`),
    });
    return { value, duplicates, format: "json", text };
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw badRequest(
      `${unrecognized(kind)}couldn't get version/kind; json parse error: ${error.message}${quotedBody(text, kind)}`,
    );
  }
}

/** JSON of an object or a patch. @throws JsonSyntaxError @throws StatusError 413 */
function parseBounded(text: string, options: ParseOptions): JsonValue {
  return bounded(() => parseJson(text, { ...OBJECT_BOUNDS, ...options }));
}

/** YAML of an object or an applied configuration. @throws YamlError @throws StatusError 413 */
function parseBoundedYaml(input: string | Uint8Array): YamlBody {
  return bounded(() => parseYaml(input, YAML_BOUNDS));
}

function bounded<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof JsonLimitError) throw tooLarge(`Request entity too large: ${error.message}`);
    throw error;
  }
}

function yamlBody(request: HttpRequest, text: string, kind: string): ParsedBody {
  try {
    const { value, duplicates } = parseBoundedYaml(request.body ?? text);
    return { value, duplicates, format: "yaml", text };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw badRequest(`${unrecognized(kind)}${error.message}${quotedBody(text, kind)}`);
  }
}

function unrecognized(kind: string): string {
  return kind === "" ? "" : `the object provided is unrecognized (must be of type ${kind}): `;
}

function quotedBody(text: string, kind: string): string {
  return kind === "" ? "" : ` (${quoteBody(text)})`;
}

/** The body of an apply: YAML, of which JSON is a part. @param text - The body as text. @throws StatusError 400 */
export function parseApplyBody(request: HttpRequest, text: string): ParsedBody {
  try {
    const { value, duplicates } = parseBoundedYaml(request.body ?? text);
    return { value, duplicates, format: "yaml", text };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw badRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`);
  }
}

/** The text of a JSON, merge or strategic merge patch. @throws StatusError 400 */
export function parsePatch(text: string, type: PatchType): ParsedPatch {
  const duplicates: string[] = [];
  try {
    return { value: parseBounded(text, { onDuplicateKey: ({ path }) => duplicates.push(path) }), duplicates };
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw badRequest(type === "strategic" ? error.message : `error decoding patch: ${error.message}`);
  }
}
