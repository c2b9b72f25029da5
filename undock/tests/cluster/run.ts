// `npm run cluster`: several nodes of `undock serve` on this machine, before PostgreSQL, an S3 store and a bus, each of its own
// make. Without options it plays one history of clients and faults and says what it found; with --stay it only starts them.
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { startCluster } from './cluster.ts'
import { HISTORY_PROJECT, playHistory } from './history.ts'

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '3' },
    bus: { type: 'string', default: 'postgres' },
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
  --histories <number>  how many histories of clients and faults are played (default: 1)
  --seconds <number>    how long each takes (default: 60)
  --seed <number>       of the first history; each next one has the next (default: another each time)
  --stay                play none: print the addresses, and stay until Ctrl-C`)
  process.exit()
}

const { bus } = values
if (bus !== 'postgres' && bus !== 'nats') throw new Error('--bus is postgres or nats')
console.log(`Starting ${values.nodes} nodes …`)
const cluster = await startCluster({ nodes: Number(values.nodes), bus, files: HISTORY_PROJECT })
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
      const { counts, violations } = await playHistory(cluster, { seed, seconds: Number(values.seconds) })
      console.log(
        `seed ${seed}: ${Object.entries(counts)
          .map(([name, times]) => `${times} ${name}`)
          .join(', ')}`,
      )
      for (const violation of violations) console.log(`  ${violation}`)
      if (violations.length > 0) failed += 1
    }
} finally {
  await cluster.close()
}
if (!values.stay) console.log(`${Number(values.histories) - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
