import { openPostgresBus } from '../bus/postgres-bus.ts'
import { createDb } from '../database/engine-db.ts'
import { openServerEngine } from '../database/postgres/server-engine.ts'
import type { Log } from '../kernel/service.ts'
import { startRealtimeNode } from './realtime-server.ts'

// A program for tests that kill it: a node of Realtime on the database whose URL is the first argument. Prints its address.
const [url = ''] = process.argv.slice(2)
const write = (message: string) => void process.stderr.write(`${message}\n`)
const log: Log = { info: write, warn: write, error: (message, error) => write(`${message} ${error}`) }
const db = createDb(await openServerEngine({ url, statementLimit: 30_000, waitLimit: 10_000 }))
const server = await startRealtimeNode(db, { bus: await openPostgresBus(db, log) })
process.stdout.write(`${server.url}\n`)
