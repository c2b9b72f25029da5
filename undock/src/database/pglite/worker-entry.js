// Plain JavaScript, so that the compile cache is on before the first TypeScript file: stripping types again would cost
// a fifth of a second at each start.
import { enableCompileCache, registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { workerData } from 'node:worker_threads'

enableCompileCache()
const { modules } = workerData
if (modules) {
  const parentURL = pathToFileURL(join(modules, 'undock')).href
  registerHooks({
    resolve: (name, context, next) =>
      next(name, name.startsWith('@electric-sql/') ? { ...context, parentURL } : context),
  })
}
await import('./worker.ts')
