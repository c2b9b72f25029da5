/** An edge function refused a request, or didn't run. Messages of functions that ran are for people. */
export class EdgeFunctionError extends Error {
  readonly status: number
  /** False if the server responded instead. */
  readonly didRun: boolean
  readonly body: unknown

  constructor(status: number, body: { message: string }, didRun = true) {
    super(body.message)
    this.status = status
    this.body = body
    this.didRun = didRun
  }
}
