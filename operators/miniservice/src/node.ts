export { checkArchive, type ArchiveLimits } from "./chart/archive.js";
export { fetchChart, type Fetch } from "./chart/fetch.js";
export { chartSource, type ChartSource } from "./chart/source.js";
export { helmRenderer, type HelmOptions } from "./render/helm.js";
export { findPrograms, type ProgramOptions, type Programs } from "./render/programs.js";
