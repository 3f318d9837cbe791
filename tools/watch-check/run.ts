import { MemoryStorage, startApiServer, type MemoryStorageOptions } from "@fairlead/apiserver";
import {
  nextTurn,
  never,
  orAborted,
  seededRandom,
  silentLogger,
  VirtualClock,
  type Clock,
  type Random,
  type Transport,
} from "@fairlead/base";
import { Recorder, type History } from "@fairlead/testing";

import { list, watch, watchEverything } from "./readers.js";
import { CRD, pathOf, RESOURCES, write, type Load } from "./traffic.js";

export interface RunOptions {
  readonly seed: number;
  /** Requests for single objects, over all writers. */
  readonly operations: number;
  /** Puts something between the server and its clients. */
  readonly between?: (transport: Transport) => Transport;
}

const WRITERS = 6;
const LISTERS = 2;
const WATCHERS = 8;
const STEP_MS = 1000;
/** Longer than from one bookmark to the next. */
const LAST_MS = 65_000;

/** The history of one server under a random load on virtual time; equal options give equal histories. */
export async function run({ seed, operations, between = (it) => it }: RunOptions): Promise<History> {
  const random = seededRandom(seed);
  const clock = new VirtualClock();
  const maxEvents = seed % 2 === 0 ? 100_000 : 150;
  const storage = new MemoryStorage({ freeze: true, maxEvents });
  await using server = await startApiServer({ clock, random: seededRandom(seed + 1), logger: silentLogger, storage });
  await createDefinition(server.transport(), clock);
  const transport = between(server.transport());
  const recorder = new Recorder((request, signal) => orAborted(transport(request, signal), signal), clock, pathOf);
  recorder.compacted(storage.compactedRevision);
  if (seed % 3 !== 0) storage.attach(slowJournal({ recorder, clock, random: seededRandom(seed + 2) }));
  const ending = new AbortController();
  const revision = (): number => storage.revision;
  const load: Load = { recorder, clock, random, signal: ending.signal, revision };
  let written = 0;
  let over = false;
  const isOver = (): boolean => over;
  const writers = Array.from({ length: WRITERS }, () => write(load, Math.ceil(operations / WRITERS), () => ++written));
  const listers = Array.from({ length: LISTERS }, () => list(load, isOver));
  const watchers = [
    ...RESOURCES.map((resource) => watchEverything(load, resource, revision())),
    ...Array.from({ length: WATCHERS }, () => watch(load, isOver)),
  ];
  if (seed % 4 !== 0) compactAtTimes(load, (to) => storage.compact(to));
  void Promise.all(writers).then(() => (over = true));
  while (!over) await clock.advance(STEP_MS, nextTurn);
  await clock.advance(LAST_MS, nextTurn);
  await Promise.all(listers);
  const history = recorder.history({
    newest: revision(),
    remembered: Math.floor(maxEvents * 0.9) - 1,
    othersWrite: false,
  });
  ending.abort(new Error("the run is over"));
  await clock.advance(STEP_MS, nextTurn);
  await Promise.all(watchers);
  return history;
}

async function createDefinition(transport: Transport, clock: VirtualClock): Promise<void> {
  const request = {
    method: "POST",
    path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(CRD),
  };
  const { status } = await transport(request, never);
  if (status !== 201) throw new Error(`the definition was answered ${status}`);
  await clock.advance(STEP_MS);
}

type Journal = NonNullable<MemoryStorageOptions["journal"]>;

/** Makes writes durable in groups, some time after they were asked for. */
function slowJournal({
  recorder,
  clock,
  random,
}: {
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly random: Random;
}): Journal {
  let waiting: { readonly revision: number; readonly done: () => void }[] = [];
  const flush = (): void => {
    const group = waiting;
    waiting = [];
    for (const { revision } of group) recorder.durable(revision);
    for (const { done } of group) done();
  };
  return {
    refusal: undefined,
    trouble: undefined,
    append: ({ revision }, done) => {
      waiting.push({ revision, done });
      if (waiting.length === 1) clock.schedule(random.next() * 10, flush);
    },
    close: async () => undefined,
  };
}

function compactAtTimes({ recorder, clock, random, signal, revision }: Load, compact: (to: number) => void): void {
  const next = (): void => {
    if (signal.aborted) return;
    const to = revision() - Math.floor(random.next() * 10);
    recorder.compacted(to);
    compact(to);
    clock.schedule(random.next() * 10_000, next);
  };
  clock.schedule(random.next() * 10_000, next);
}
