// What the modules of undock and of node-postgres expect of Node's global objects. It is imported before them.
import { Buffer } from 'buffer/index.js'

// The package knows the alphabet of base64url, but not its name.
const { from } = Buffer
Buffer.from = ((value: never, encoding: never, length: never) =>
  from(value, (encoding === 'base64url' ? 'base64' : encoding) as never, length)) as typeof from

// Without `versions`, by which PGlite would take this for Node.
Object.assign(globalThis, { Buffer, global: globalThis, process: { env: {}, platform: 'browser' } })
