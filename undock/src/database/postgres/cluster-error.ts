/** The server did not start. */
export class ClusterError extends Error {
  override readonly name = 'ClusterError'
}
