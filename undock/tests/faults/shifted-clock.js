// Loaded with `--import` into every thread of a process: shifts its clock by the milliseconds that a file contains, from
// the moment they are written.
import { readFileSync } from 'node:fs'

const Real = Date
const LOOK_EVERY = 5
let offset = 0
let lookedAt = Number.NEGATIVE_INFINITY

function now() {
  if (performance.now() - lookedAt > LOOK_EVERY) {
    lookedAt = performance.now()
    offset = Number(readFileSync(process.env.SHIFTED_CLOCK, 'utf8'))
  }
  return Real.now() + offset
}

globalThis.Date = new Proxy(Real, {
  apply: () => new Real(now()).toString(),
  construct: (_, values, made) => Reflect.construct(Real, values.length > 0 ? values : [now()], made),
  get: (_, name) => (name === 'now' ? now : Reflect.get(Real, name)),
})
