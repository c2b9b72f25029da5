import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import { Comment, Id } from '../_shared/api/objects.ts'
import type { Sql } from './database.ts'
import { listed } from './library.ts'
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
  WRITE_REFUSALS,
  write,
} from './operation.ts'
import { Paging, pageOf } from './paging.ts'
import { Problem } from './problem.ts'

const Body = z.string().trim().min(1).max(10_000)

const list = createRoute({
  method: 'get',
  path: '/documents/{id}/comments',
  operationId: 'listComments',
  tags: ['Comments'],
  summary: 'List the comments on a document',
  ...needs('comments:read'),
  request: { params: IdParameter, query: z.strictObject(Paging) },
  responses: { 200: json(pageOf(Comment), 'A page of comments, oldest first.'), ...READ_REFUSALS },
})

const add = createRoute({
  method: 'post',
  path: '/documents/{id}/comments',
  operationId: 'createComment',
  tags: ['Comments'],
  summary: 'Comment on a document',
  ...needs('comments:write'),
  request: {
    params: IdParameter,
    headers: IdempotencyHeader,
    body: jsonBody(
      z
        .strictObject({
          body: Body,
          parent_id: Id.optional().meta({ description: 'The comment it replies to.' }),
          quote: z
            .string()
            .min(1)
            .max(2000)
            .optional()
            .meta({ description: 'The words of the document it refers to.' }),
          page: z.number().int().min(1).max(1_000_000).optional(),
        })
        .meta({ id: 'NewComment', example: { body: 'Which year was that?' } }),
    ),
  },
  responses: { 201: json(Comment, 'The new comment.'), ...WRITE_REFUSALS },
})

const change = createRoute({
  method: 'patch',
  path: '/comments/{id}',
  operationId: 'changeComment',
  tags: ['Comments'],
  summary: 'Change the text of a comment, or resolve it',
  description: 'Only its author can change the text; its author and editors can resolve it.',
  ...needs('comments:write'),
  request: {
    params: IdParameter,
    body: jsonBody(
      z
        .strictObject({ body: Body.optional(), resolved: z.boolean().optional() })
        .meta({ id: 'CommentChanges', example: { resolved: true } }),
    ),
  },
  responses: { 200: json(Comment, 'The changed comment.'), ...WRITE_REFUSALS },
})

const remove = createRoute({
  method: 'delete',
  path: '/comments/{id}',
  operationId: 'deleteComment',
  tags: ['Comments'],
  summary: "Delete a comment of the key's owner",
  ...needs('comments:write'),
  request: { params: IdParameter },
  responses: { 204: { description: 'It was deleted, with its replies.' }, ...WRITE_REFUSALS },
})

export function addComments(api: Api): void {
  api.openapi(list, async (c) => {
    const { id } = c.req.valid('param')
    const rowsOf = (sql: Sql) => sql`
      select c.id, c.created_at as at, ${commentJson(sql)} as item from public.comments c where c.document_id = ${id}`
    return c.json(await listed(c, c.req.valid('query'), id, Comment, rowsOf, (sql) => seen(sql, id)), 200)
  })

  api.openapi(add, async (c) => {
    const { id } = c.req.valid('param')
    const input = c.req.valid('json')
    const added = await create(c, input, Comment, async (sql) => {
      await seen(sql, id)
      const [row] = await sql`
        insert into public.comments as c (library_id, document_id, parent_id, quote, page, body)
        values (${c.get('key').library_id}, ${id}, ${input.parent_id ?? null}, ${input.quote ?? null}, ${input.page ?? null}, ${input.body})
        returning ${commentJson(sql)} as item`
      return Comment.parse(row?.item)
    })
    return c.json(added, 201)
  })

  api.openapi(change, async (c) => {
    const { id } = c.req.valid('param')
    const { body, resolved } = c.req.valid('json')
    const changed = await write(c, async (sql) => {
      const [row] = await sql`
        update public.comments c set body = coalesce(${body ?? null}, body),
          resolved_at = case when ${resolved ?? null}::boolean is null then resolved_at when ${resolved ?? null}::boolean then now() end
        where c.id = ${id} returning ${commentJson(sql)} as item`
      return Comment.parse((row ?? (await refused(sql, id))).item)
    })
    return c.json(changed, 200)
  })

  api.openapi(remove, async (c) => {
    const { id } = c.req.valid('param')
    await write(c, async (sql) => {
      const { count } = await sql`delete from public.comments where id = ${id}`
      if (count === 0) await refused(sql, id)
    })
    return c.body(null, 204)
  })
}

const commentJson = (sql: Sql) => sql`
  jsonb_build_object('id', c.id, 'document_id', c.document_id, 'parent_id', c.parent_id, 'body', c.body, 'quote', c.quote,
    'page', c.page, 'resolved_at', c.resolved_at, 'resolved_by', c.resolved_by, 'edited_at', c.edited_at,
    'created_by', c.created_by, 'created_at', c.created_at)`

async function seen(sql: Sql, document: string): Promise<void> {
  const [row] = await sql`select from public.documents where id = ${document}`
  found(row, 'document')
}

/** @throws {Problem} saying why the comment wasn't changed. */
async function refused(sql: Sql, id: string): Promise<never> {
  const [row] = await sql`select from public.comments where id = ${id}`
  found(row, 'comment')
  throw new Problem('not_allowed', 'The owner of this key may read this comment, but not change it.')
}
