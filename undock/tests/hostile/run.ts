// `node tests/hostile/run.ts [requests] [engine] [seed]`: the long version of fuzz.test.ts, which prints all its
// findings.
import { fuzz } from './fuzz.ts'

const [requests = '100000', engine = 'pglite', seed = String(Date.now() % 1e9)] = process.argv.slice(2)
if (engine !== 'pglite' && engine !== 'native') throw new Error('The engine is pglite or native')
console.log(`seed ${seed}`)
const report = await fuzz({ requests: Number(requests), engine, seed: Number(seed), tell: console.log })
console.log(JSON.stringify(report, null, 2))
