/** An edge function refused a request, or did not run. What a function that ran says is written for people. */
export class EdgeFunctionError extends Error {
  readonly status: number
  /** Whether the function ran: otherwise the server answered in its place. */
  readonly didRun: boolean
  /** What the function answered. */
  readonly body: unknown

  constructor(status: number, body: { message: string }, didRun = true) {
    super(body.message)
    this.status = status
    this.body = body
    this.didRun = didRun
  }
}
