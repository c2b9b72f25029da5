import { z } from 'zod'
import { readJsonBody } from '../../kernel/request-body.ts'
import { ServiceError } from '../../kernel/service-error.ts'
import { BranchChange } from '../branches/change.ts'
import type { BranchControl } from '../branches/control.ts'

/** Null for a stack that keeps no data. */
type Branches = BranchControl | null

export const answerBranchList = async (branches: Branches): Promise<Response> =>
  Response.json(await kept(branches).list())

/** Compares branch `?branch=` with the current one: its structure as SQL, and row counts.
 *  @throws {ServiceError | BranchError} */
export async function answerBranchDifference(branches: Branches, request: Request): Promise<Response> {
  const other = new URL(request.url).searchParams.get('branch') ?? ''
  return Response.json(await kept(branches).compare(other))
}

/** Changes branches and snapshots. If a restart is needed, the response stays open until the client has read the
 *  announcement.
 *  @throws {ServiceError | BranchError} */
export async function changeBranches(branches: Branches, request: Request): Promise<Response> {
  const { restart } = await kept(branches).change(await readJsonBody(request, BranchChange))
  if (!restart) return Response.json({ status: 'done' })
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"status":"restarting"}\n')),
    cancel: restart,
  })
  return new Response(body, { status: 202, headers: { 'content-type': 'application/json' } })
}

/** Starts a new backend of the project with a copy of this one's data.
 *  @throws {ServiceError | BranchError} */
export async function forkBackend(branches: Branches, request: Request): Promise<Response> {
  const { name } = await readJsonBody(request, z.strictObject({ name: z.string() }))
  return Response.json(await kept(branches).fork(name))
}

function kept(branches: Branches): BranchControl {
  if (branches) return branches
  throw new ServiceError('no_branches', 409, 'This backend keeps no data, so it has no branches and snapshots')
}
