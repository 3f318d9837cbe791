import type { ListeningServer } from "@fairlead/apiserver/node";

export async function startControllers(_server: ListeningServer, _list: string): Promise<{ close(): Promise<void> }> {
  throw new Error("not built yet");
}
