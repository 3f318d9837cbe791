import { startListeningServer } from "@fairlead/apiserver/node";

import { announce } from "./child.js";

/* Fairlead's API server: node fairlead.js [DATA-DIR] */
const [dataDirectory] = process.argv.slice(2);
await using server = await startListeningServer(dataDirectory === undefined ? {} : { dataDirectory });
await announce({ url: server.url, authority: server.authority, token: server.token });
