import { z } from 'zod'
import { ACTIONS, explain, explainRequest, readMatrix, writeLeakTests } from '../../access/index.ts'
import type { Db } from '../../database/db.ts'
import { readJsonBody } from '../../kernel/request-body.ts'
import type { Rest } from '../../rest/index.ts'
import { findRequest } from '../../timeline/http.ts'
import type { Timeline } from '../../timeline/timeline.ts'

export type RightsDeps = {
  readonly db: Db
  /** The schemas that the Data API exposes. */
  readonly schemas: readonly string[]
  readonly timeline: Timeline | null
  readonly restTargetOf: Rest['targetOf'] | null
}

const Row = z.record(z.string(), z.unknown())

/** A past request, or a hypothetical one. */
const Question = z.union([
  z.strictObject({ request: z.string(), row: Row.optional(), readsOnly: z.boolean().default(false) }),
  z.strictObject({
    readsOnly: z.boolean().default(false),
    as: z.string(),
    claims: z.record(z.string(), z.unknown()).optional(),
    action: z.enum(ACTIONS),
    target: z.string(),
    where: z.string().optional(),
    row: Row.optional(),
    returning: z.boolean().optional(),
  }),
])

/** Explains why a role can or can't do something. */
export async function answerExplain({ db, timeline, restTargetOf }: RightsDeps, request: Request): Promise<Response> {
  const question = await readJsonBody(request, Question)
  if (!('request' in question)) return Response.json(await explain(db, question))
  const kept = findRequest(timeline, question.request)
  const recorded = { ...kept, caller: timeline?.principalOf(kept.id) ?? null }
  const { row, readsOnly } = question
  return Response.json(await explainRequest(db, recorded, { findTarget: restTargetOf, row, readsOnly }))
}

/** The roles' rights on tables and views of the exposed schemas, or of `?schema=`. */
export async function answerPolicies({ db, schemas }: RightsDeps, request: Request): Promise<Response> {
  const asked = new URL(request.url).searchParams.getAll('schema')
  return Response.json(await readMatrix(db, asked.length > 0 ? asked : schemas))
}

export async function answerLeakTests({ db, schemas }: RightsDeps): Promise<Response> {
  return new Response(await writeLeakTests(db, await readMatrix(db, schemas)))
}
