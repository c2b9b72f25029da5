/** An edge function refused a request. Its message is written for people. */
export class EdgeFunctionError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}
