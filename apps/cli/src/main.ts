#!/usr/bin/env node
import { run } from "./program.js";

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  signals: process,
});
