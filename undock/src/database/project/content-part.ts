/** Which of a project's files a reset applies; all by default. */
export type ContentPart = {
  readonly until?: string
  readonly seed?: false | readonly string[]
}
