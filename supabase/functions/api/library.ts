import { createRoute } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { z } from 'zod'
import { Collection, Field, Id, Library, Member, Tag } from '../_shared/api/objects.ts'
import { SCOPES } from '../_shared/facts.ts'
import type { Env } from './authentication.ts'
import type { Query, Sql } from './database.ts'
import {
  type Api,
  create,
  found,
  IdempotencyHeader,
  IdParameter,
  json,
  jsonBody,
  needs,
  READ_REFUSALS,
  read,
  WRITE_REFUSALS,
} from './operation.ts'
import { cutPage, openCursor, Paging, pageOf, TimePlace } from './paging.ts'

const library = createRoute({
  method: 'get',
  path: '/library',
  operationId: 'getLibrary',
  tags: ['Library'],
  summary: "Get the key's library, and what the key can do",
  security: [{ key: [] }],
  responses: {
    200: json(
      Library.extend({
        key: z.object({
          name: z.string(),
          scopes: z.array(z.enum(SCOPES)),
          expires_at: z.iso.datetime({ offset: true }).nullable(),
        }),
      }).meta({ id: 'LibraryOfKey' }),
      'The library.',
    ),
    ...READ_REFUSALS,
  },
})

const paged = <Item extends z.ZodType>(
  path: string,
  operationId: string,
  tag: string,
  summary: string,
  item: Item,
) => ({
  method: 'get' as const,
  path,
  operationId,
  tags: [tag],
  summary,
  request: { query: z.strictObject(Paging) },
  responses: { 200: json(pageOf(item), 'A page, in order of creation.'), ...READ_REFUSALS },
})

const members = createRoute({
  ...paged('/members', 'listMembers', 'Library', 'List members', Member),
  ...needs('members:read'),
})
const collections = createRoute({
  ...paged('/collections', 'listCollections', 'Collections and tags', 'List collections', Collection),
  ...needs('documents:read'),
})
const tags = createRoute({
  ...paged('/tags', 'listTags', 'Collections and tags', 'List tags', Tag),
  ...needs('documents:read'),
})

const fields = createRoute({
  method: 'get',
  path: '/collections/{id}/fields',
  operationId: 'listFields',
  tags: ['Collections and tags'],
  summary: 'List the fields of a collection',
  ...needs('documents:read'),
  request: { params: IdParameter },
  responses: {
    200: json(z.object({ data: z.array(Field) }), 'Its own fields and those of its parent collections.'),
    ...READ_REFUSALS,
  },
})

const addCollection = createRoute({
  method: 'post',
  path: '/collections',
  operationId: 'createCollection',
  tags: ['Collections and tags'],
  summary: 'Create a collection',
  ...needs('documents:write'),
  request: {
    headers: IdempotencyHeader,
    body: jsonBody(
      z
        .strictObject({ name: z.string().trim().min(1).max(120), parent_id: Id.nullable().optional() })
        .meta({ id: 'NewCollection', example: { name: 'Lighthouses' } }),
    ),
  },
  responses: { 201: json(Collection, 'The new collection.'), ...WRITE_REFUSALS },
})

const addTag = createRoute({
  method: 'post',
  path: '/tags',
  operationId: 'createTag',
  tags: ['Collections and tags'],
  summary: 'Create a tag',
  ...needs('documents:write'),
  request: {
    headers: IdempotencyHeader,
    body: jsonBody(
      z
        .strictObject({
          name: z.string().trim().min(1).max(60),
          color: z
            .string()
            .regex(/^[a-z]{3,20}$/)
            .optional()
            .meta({ description: "A name from the app's palette; default `slate`." }),
        })
        .meta({ id: 'NewTag', example: { name: 'light' } }),
    ),
  },
  responses: { 201: json(Tag, 'The new tag.'), ...WRITE_REFUSALS },
})

export function addLibrary(api: Api): void {
  api.openapi(library, async (c) => {
    const { name, scopes, expires_at } = c.get('key')
    const [row] = await read(
      c,
      (sql) => sql`
      select to_jsonb(l) as library from (select id, name, description, created_at from public.libraries) l`,
    )
    const key = { name, scopes: z.array(z.enum(SCOPES)).parse(scopes), expires_at: expires_at?.toISOString() ?? null }
    return c.json({ ...Library.parse(found(row, 'library').library), key }, 200)
  })

  api.openapi(members, async (c) => {
    const rowsOf = (sql: Sql) => sql`
      select m.user_id as id, m.joined_at as at, jsonb_build_object('user_id', m.user_id, 'display_name', p.display_name,
        'role', m.role, 'joined_at', m.joined_at) as item
      from public.members m join public.profiles p on p.id = m.user_id`
    return c.json(await listed(c, c.req.valid('query'), 'members', Member, rowsOf), 200)
  })

  api.openapi(collections, async (c) => {
    const rowsOf = (sql: Sql) => sql`
      select c.id, c.created_at as at, ${collectionJson(sql)} as item from public.collections c`
    return c.json(await listed(c, c.req.valid('query'), 'collections', Collection, rowsOf), 200)
  })

  api.openapi(tags, async (c) => {
    const rowsOf = (sql: Sql) => sql`select t.id, t.created_at as at, ${tagJson(sql)} as item from public.tags t`
    return c.json(await listed(c, c.req.valid('query'), 'tags', Tag, rowsOf), 200)
  })

  api.openapi(fields, async (c) => {
    const { id } = c.req.valid('param')
    const rows = await read(c, async (sql) => {
      const [collection] = await sql`select from public.collections where id = ${id}`
      found(collection, 'collection')
      return sql`
        select jsonb_build_object('id', f.id, 'collection_id', f.collection_id, 'name', f.name, 'kind', f.kind,
          'takes_several', f.takes_several, 'options', (
            select coalesce(jsonb_agg(jsonb_build_object('id', o.id, 'name', o.name, 'color', o.color) order by o.position), '[]')
            from public.field_options o where o.field_id = f.id)) as field
        from public.collection_fields f where f.collection_id in (select private.collections_around(${id})) order by f.position, f.id`
    })
    return c.json({ data: rows.map(({ field }) => Field.parse(field)) }, 200)
  })

  api.openapi(addCollection, async (c) => {
    const input = c.req.valid('json')
    const added = await create(c, input, Collection, async (sql) => {
      const [row] = await sql`
        insert into public.collections as c (library_id, name, parent_id)
        values (${c.get('key').library_id}, ${input.name}, ${input.parent_id ?? null}) returning ${collectionJson(sql)} as item`
      return Collection.parse(row?.item)
    })
    return c.json(added, 201)
  })

  api.openapi(addTag, async (c) => {
    const input = c.req.valid('json')
    const added = await create(c, input, Tag, async (sql) => {
      const [row] = await sql`
        insert into public.tags as t (library_id, name, color)
        values (${c.get('key').library_id}, ${input.name}, ${input.color ?? 'slate'}) returning ${tagJson(sql)} as item`
      return Tag.parse(row?.item)
    })
    return c.json(added, 201)
  })
}

const collectionJson = (sql: Sql) => sql`
  jsonb_build_object('id', c.id, 'name', c.name, 'parent_id', c.parent_id, 'created_by', c.created_by, 'created_at', c.created_at)`
const tagJson = (sql: Sql) => sql`jsonb_build_object('id', t.id, 'name', t.name, 'color', t.color)`

/** Reads a page of a list, oldest first. @param rowsOf A query for the columns `id`, `at` (a time) and `item`.
 *  @param check Runs first, in the same transaction. */
export async function listed<Item extends z.ZodType>(
  c: Context<Env>,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
  list: string,
  item: Item,
  rowsOf: (sql: Sql) => Query,
  check?: (sql: Sql) => Promise<void>,
) {
  const after = openCursor(cursor, list, TimePlace)
  const rows = await read(c, async (sql) => {
    await check?.(sql)
    return sql<{ id: string; at: string; item: unknown }[]>`
      select r.id, to_jsonb(r.at) #>> '{}' as at, r.item from (${rowsOf(sql)}) r
      where ${after === null} or (r.at, r.id) > (${after?.[0] ?? null}::text::timestamptz, ${after?.[1] ?? null}::uuid)
      order by r.at, r.id limit ${limit + 1}`
  })
  const page = cutPage(rows, limit, ({ at, id }) => [at, id], list)
  return { ...page, data: page.data.map((row) => item.parse(row.item)) }
}
