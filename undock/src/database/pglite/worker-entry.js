// Plain JavaScript, to enable the compile cache before any TypeScript: stripping types takes 0.2 s at each start.
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
