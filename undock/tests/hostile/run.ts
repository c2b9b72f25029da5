// `node tests/hostile/run.ts [requests] [seed]`: the long version of fuzz.test.ts, which prints all its findings.
import { fuzz } from './fuzz.ts'

const [requests = '100000', seed = String(Date.now() % 1e9)] = process.argv.slice(2)
console.log(`seed ${seed}`)
const report = await fuzz({ requests: Number(requests), seed: Number(seed), tell: console.log })
console.log(JSON.stringify(report, null, 2))
