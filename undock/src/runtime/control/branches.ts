import { z } from 'zod'
import { readJsonBody } from '../../kernel/request-body.ts'
import { ServiceError } from '../../kernel/service-error.ts'
import { BranchError } from '../branches/branches.ts'
import { BranchChange } from '../branches/change.ts'
import type { BranchControl } from '../branches/control.ts'

/** Null for a stack that keeps no data. */
type Branches = BranchControl | null

export const answerBranchList = (branches: Branches): Promise<Response> =>
  withBranches(branches, async (control) => Response.json(await control.list()))

/** Compares branch `?branch=` with the current one: its structure as SQL, and row counts.
 *  @throws {ServiceError} 409 */
export function answerBranchDifference(branches: Branches, request: Request): Promise<Response> {
  const other = new URL(request.url).searchParams.get('branch') ?? ''
  return withBranches(branches, async (control) => Response.json(await control.compare(other)))
}

/** Changes branches and snapshots. If a restart is needed, the response stays open until the client has read the
 *  announcement.
 *  @throws {ServiceError} 400, 409 */
export function changeBranches(branches: Branches, request: Request): Promise<Response> {
  return withBranches(branches, async (control) => {
    const { restart } = await control.change(await readJsonBody(request, BranchChange))
    if (!restart) return Response.json({ status: 'done' })
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"status":"restarting"}\n')),
      cancel: restart,
    })
    return new Response(body, { status: 202, headers: { 'content-type': 'application/json' } })
  })
}

/** Starts a new backend of the project with a copy of this one's data.
 *  @throws {ServiceError} 400, 409 */
export const forkBackend = (branches: Branches, request: Request): Promise<Response> =>
  withBranches(branches, async (control) => {
    const { name } = await readJsonBody(request, z.strictObject({ name: z.string() }))
    return Response.json(await control.fork(name))
  })

async function withBranches(branches: Branches, answer: (branches: BranchControl) => Promise<Response>) {
  if (!branches)
    throw new ServiceError('no_branches', 409, 'This backend keeps no data, so it has no branches and snapshots')
  try {
    return await answer(branches)
  } catch (error) {
    if (error instanceof BranchError) throw new ServiceError('branch_refused', 409, error.message, { cause: error })
    throw error
  }
}
