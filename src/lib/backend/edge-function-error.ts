/** An edge function refused a request, or did not run. The message of a function that ran is written for people. */
export class EdgeFunctionError extends Error {
  readonly status: number
  /** Whether the function ran: otherwise the server answered in its place. */
  readonly didRun: boolean

  constructor(status: number, message: string, didRun = true) {
    super(message)
    this.status = status
    this.didRun = didRun
  }
}
