import { FairleadError } from "@fairlead/base";
import type { KubernetesObject, ObjectKey, Uid } from "@fairlead/apimachinery";
import type { ResourceKind } from "../request/resource-kind.js";

/** What a write does, to whom. */
export interface WriteInfo {
  readonly verb: "create" | "delete" | "deleteCollection" | "update" | "patch" | "apply";
  readonly kind: ResourceKind<KubernetesObject>;
  /** Absent for a collection, and for a creation whose name the server makes. */
  readonly key: ObjectKey | undefined;
  readonly subresource?: string | undefined;
  readonly dryRun: boolean;
  /** The life that is meant, where the write is bound to one. */
  readonly uid?: Uid | undefined;
}

/**
 * Sees every write of a client made with it. A reconcile's scope uses it to know its own writes, to refuse them once
 * leadership is gone, and to find those nobody awaited.
 */
export interface WriteObserver {
  /** A handle was made; nothing has been sent. */
  created(handle: WriteHandle<unknown>): void;
  /** Called right before the request is sent; what it throws is the outcome, and nothing is sent. */
  sending(info: WriteInfo): void;
  /** @param object - What the server answered; undefined for an answer that is no object. */
  done(info: WriteInfo, object: KubernetesObject | undefined): void;
}

/** `apply Deployment.apps/v1 default/web`, for messages. */
export function formatWrite(info: WriteInfo): string {
  const { kind, key } = info;
  const sub = info.subresource === undefined ? "" : `/${info.subresource}`;
  const name = key === undefined ? "" : ` ${key.namespace === undefined ? "" : `${key.namespace}/`}${key.name}`;
  return `${info.verb} ${kind.kind}${sub}${name}`;
}

/** A write was made inside a reconcile and never awaited, so it was never sent. */
export class UnawaitedWriteError extends FairleadError {
  readonly info: WriteInfo;

  constructor(handle: WriteHandle<unknown>) {
    super(
      "UnawaitedWrite",
      `${formatWrite(handle.info)} was never awaited, so it was not sent; await it, or do not make it${handle.madeAt()}`,
    );
    this.info = handle.info;
  }
}

/**
 * A write that is sent when it is first awaited, and once at most. It can be used wherever a promise can; one that is
 * never awaited is never sent, and a reconcile that leaves one behind fails with UnawaitedWriteError.
 */
export class WriteHandle<T> implements Promise<T> {
  readonly info: WriteInfo;
  readonly [Symbol.toStringTag]: string = "WriteHandle";
  #send: (() => Promise<T>) | undefined;
  #result: Promise<T> | undefined;
  #site: Error | undefined;

  constructor(info: WriteInfo, send: () => Promise<T>) {
    this.info = info;
    this.#send = send;
  }

  /** Whether it has been awaited, hence sent. */
  get started(): boolean {
    return this.#result !== undefined;
  }

  then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#start().then(onFulfilled, onRejected);
  }

  catch<B = never>(onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.#start().catch(onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<T> {
    return this.#start().finally(onFinally);
  }

  /** Sends it and waits, but does not fail when it fails: `reason` says in the source why that is right. */
  async ignoreError(reason: string): Promise<T | undefined> {
    void reason;
    try {
      return await this.#start();
    } catch {
      return undefined;
    }
  }

  /** A write that need not be sent: what it would come to is known. */
  static done<T>(info: WriteInfo, value: T): WriteHandle<T> {
    return new WriteHandle(info, () => Promise.resolve(value));
  }

  /** The same write, whose result is told as `map` says. It is still this write that is sent. */
  map<R>(map: (value: T) => R): WriteHandle<R> {
    return new WriteHandle(this.info, async () => map(await this));
  }

  /** The same write, whose failure is told as `map` says. */
  mapError(map: (error: unknown) => unknown): WriteHandle<T> {
    const send = this.#send as () => Promise<T>;
    this.#send = async () => {
      try {
        return await send();
      } catch (error) {
        throw map(error);
      }
    };
    return this;
  }

  /** Resolves once it has been answered or has failed; at once while it was never awaited. Never rejects. */
  async settled(): Promise<void> {
    await this.#result?.then(undefined, () => undefined);
  }

  /** Remembers where it was made, for the message of UnawaitedWriteError. */
  rememberSite(): void {
    this.#site ??= new Error("made");
  }

  /** ` (made at …)`, or the empty string when it is not remembered. */
  madeAt(): string {
    const frames = this.#site?.stack?.split("\n").slice(1) ?? [];
    const frame = frames.find(
      (line) => !/write-handle|[/\\](client|runtime)[/\\](src|dist)[/\\](api|writes|controller)[/\\]/.test(line),
    );
    return frame === undefined ? "" : ` (made ${frame.trim()})`;
  }

  #start(): Promise<T> {
    if (this.#result === undefined) {
      const send = this.#send as () => Promise<T>;
      this.#send = undefined;
      this.#result = send();
    }
    return this.#result;
  }
}
