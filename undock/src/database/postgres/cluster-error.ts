export class ClusterError extends Error {
  override readonly name = 'ClusterError'
}
