import { open, readFile, stat } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { encodeBase64, encodeUtf8, FairleadError, isObject, messageOf } from "@fairlead/base";
import { parseYaml } from "@fairlead/apimachinery/yaml";
import { isDnsName } from "./names.js";

/** What `up` was asked for, read and checked before anything is started. */
export interface UpInputs {
  /** `foo`; the request and the namespace are `sr-foo`. */
  readonly name: string;
  readonly chart: ChartInput;
  /** Values for the chart as YAML text; undefined for none. */
  readonly values: string | undefined;
}

export interface ChartInput {
  /** As `spec.helmChartConfig.url` has it. */
  readonly url: string;
  /** As messages name it. */
  readonly label: string;
  readonly sample: boolean;
}

const SAMPLE = new URL("../../charts/sample-inference", import.meta.url);
const MAX_NAME = 40;

/** @throws FairleadError `ChartMissing`, `ValuesMissing`, `ValuesInvalid` or `NameInvalid`, telling what to do */
export async function readInputs(flags: {
  readonly name: string;
  readonly chart?: string;
  readonly values?: string;
}): Promise<UpInputs> {
  if (!isDnsName(flags.name) || flags.name.length > MAX_NAME) {
    throw new FairleadError(
      "NameInvalid",
      `--name ${flags.name}: a name has lower-case letters, digits and dashes, begins and ends with a letter or digit, and is at most ${MAX_NAME} long`,
    );
  }
  return {
    name: flags.name,
    chart: await chartInput(flags.chart),
    values: flags.values === undefined ? undefined : await valuesText(flags.values),
  };
}

async function chartInput(chart: string | undefined): Promise<ChartInput> {
  if (chart === undefined) return { url: SAMPLE.href, label: fileURLToPath(SAMPLE), sample: true };
  if (/^(?:oci|https):\/\//.test(chart)) return { url: chart, label: chart, sample: false };
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(chart))
    throw new FairleadError("ChartMissing", `--chart ${chart}: charts come from a file, a folder, https:// or oci://`);
  const path = isAbsolute(chart) ? chart : resolve(chart);
  const found = await stat(path).catch(() => undefined);
  if (found === undefined)
    throw new FairleadError(
      "ChartMissing",
      `--chart ${chart}: ${path} does not exist; give an archive (.tgz), a folder with a Chart.yaml, https:// or oci://`,
    );
  if (found.isDirectory() && (await stat(`${path}/Chart.yaml`).catch(() => undefined)) === undefined) {
    throw new FairleadError(
      "ChartMissing",
      `--chart ${chart}: ${path} has no Chart.yaml; give the folder of one chart`,
    );
  }
  if (found.isFile() && !(await isGzip(path))) {
    throw new FairleadError(
      "ChartMissing",
      `--chart ${chart}: ${path} is no chart archive; make one with helm package, or give the chart's folder`,
    );
  }
  const { href } = pathToFileURL(path);
  return { url: href, label: path, sample: href === SAMPLE.href };
}

async function isGzip(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
  } finally {
    await file.close();
  }
}

async function valuesText(path: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    throw new FairleadError(
      "ValuesMissing",
      `--values ${path}: cannot be read (${(cause as NodeJS.ErrnoException).code ?? messageOf(cause)}); give a YAML file`,
      { cause },
    );
  }
  try {
    const { value } = parseYaml(text);
    if (value !== null && !isObject(value)) throw new FairleadError("ValuesInvalid", "it is not a map of values");
  } catch (cause) {
    throw new FairleadError(
      "ValuesInvalid",
      `--values ${path}: ${messageOf(cause).replace(/^yaml: /, "")}; values are a YAML map`,
      { cause },
    );
  }
  return text;
}

/** Text as requests carry it. */
export function base64(text: string): string {
  return encodeBase64(encodeUtf8(text));
}
