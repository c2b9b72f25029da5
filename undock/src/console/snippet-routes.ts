import { Hono } from 'hono'
import { z } from 'zod'
import { ServiceError } from '../kernel/service-error.ts'
import { bodyOf } from './json-body.ts'
import type { Snippets } from './snippets.ts'

const Content = z.strictObject({ text: z.string(), version: z.string().nullable() })
const NewName = z.strictObject({ name: z.string() })

/** `/api/snippets` and `/api/snippets/NAME`; the name has its slashes. */
export function snippetRoutes(snippets: Snippets): Hono {
  const app = new Hono()
  app.get('/', async (c) => c.json(await snippets.list()))
  app.get('/:name{.+}', async (c) => c.json(await snippets.read(c.req.param('name'))))
  app.put('/:name{.+}', async (c) => {
    const { text, version } = await bodyOf(c.req.raw, Content)
    return c.json(await snippets.save(c.req.param('name'), text, version))
  })
  app.patch('/:name{.+}', async (c) => {
    await snippets.rename(c.req.param('name'), (await bodyOf(c.req.raw, NewName)).name)
    return c.body(null, 204)
  })
  app.delete('/:name{.+}', async (c) => {
    await snippets.remove(c.req.param('name'))
    return c.body(null, 204)
  })
  app.onError((error) => {
    const { code = '' } = error as NodeJS.ErrnoException
    throw REFUSALS.includes(code)
      ? new ServiceError('file_system', 409, `The operating system refuses that: ${error.message}`)
      : error
  })
  return app
}

/** No right, a read-only or full disk, a folder in a file's place. */
const REFUSALS = ['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'ENOTDIR', 'EEXIST', 'EISDIR', 'ENAMETOOLONG']
