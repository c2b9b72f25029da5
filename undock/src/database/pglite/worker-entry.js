// Plain JavaScript, so that the cache is on before the first TypeScript file is read: stripping types anew would cost
// a fifth of a second at each start.
import { enableCompileCache } from 'node:module'

enableCompileCache()
await import('./worker.ts')
