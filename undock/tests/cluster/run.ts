// `npm run cluster`: several nodes of `undock serve` on this machine with third-party PostgreSQL, S3 store and bus. Without options,
// runs one history of clients and faults and prints its findings; with --stay, only starts them.
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { availableOptions, startCluster } from './cluster.ts'
import { HISTORY_PROJECT, playHistory } from './history.ts'

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '3' },
    bus: { type: 'string', default: 'postgres' },
    replica: { type: 'string' },
    balancer: { type: 'string', default: 'own' },
    pooler: { type: 'string', default: 'none' },
    histories: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    stay: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (values.help) {
  console.log(`npm run cluster -w undock -- [options]

  --nodes <number>      nodes (default: 3)
  --bus <name>          postgres or nats (default: postgres)
  --replica <how>       a replica that takes over when the database is killed: sync, or async, which may lose the last commits
  --balancer <name>     own or haproxy, which also finds the database's primary (default: own)
  --pooler <name>       none or pgbouncer (default: none)
  --histories <number>  how many histories of clients and faults are played (default: 1)
  --seconds <number>    how long each takes (default: 60)
  --seed <number>       of the first history; each next one has the next (default: another each time)
  --stay                play none: print the addresses, and stay until Ctrl-C`)
  process.exit()
}

/** @throws for any other value */
function oneOf<T extends string>(name: keyof typeof values, known: readonly T[]): T {
  const found = known.find((one) => one === values[name])
  if (found === undefined) throw new Error(`--${name} is ${known.join(' or ')}`)
  return found
}

const wanted = {
  nodes: Number(values.nodes),
  bus: oneOf('bus', ['postgres', 'nats']),
  replica: values.replica === undefined ? undefined : oneOf('replica', ['sync', 'async']),
  haproxy: oneOf('balancer', ['own', 'haproxy']) === 'haproxy',
  pgbouncer: oneOf('pooler', ['none', 'pgbouncer']) === 'pgbouncer',
  files: HISTORY_PROJECT,
}
console.log(`Starting ${values.nodes} nodes …`)
const cluster = await startCluster(availableOptions(wanted, (missing) => console.log(missing)))
let failed = 0
try {
  console.log(`The balancer: ${cluster.balancer.url}, the nodes: ${cluster.nodes.map(({ url }) => url).join(', ')}`)
  if (values.stay) {
    console.log(`SUPABASE_PUBLISHABLE_KEY=${cluster.served.keys.publishable}`)
    console.log(`SUPABASE_SECRET_KEY=${cluster.served.keys.secret}`)
    await once(process, 'SIGINT')
  } else
    for (let index = 0; index < Number(values.histories); index++) {
      const seed = Number(values.seed) + index
      const { counts, violations, lost } = await playHistory(cluster, { seed, seconds: Number(values.seconds) })
      console.log(
        `seed ${seed}: ${Object.entries(counts)
          .map(([name, times]) => `${times} ${name}`)
          .join(', ')}`,
      )
      if (lost.count > 0)
        console.log(
          `  ${lost.count} acknowledged writes are lost, of the last ${lost.within} ms before the server was killed`,
        )
      for (const violation of violations) console.log(`  ${violation}`)
      if (violations.length > 0) failed += 1
    }
} finally {
  await cluster.close()
}
if (!values.stay) console.log(`${Number(values.histories) - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
