/** Names by which projects reach the API gateway from within Docker, where their database is elsewhere. */
const GATEWAY = /^(?:kong|supabase[_-]kong[_-].*|supabase-kong)$/
/** Names of this machine. */
const HERE = ['host.docker.internal', 'gateway.docker.internal', 'docker.for.mac.localhost', '172.17.0.1']
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** Where a URL that a project's SQL names leads: the API as it would be called from the database's container, or by the
 *  port of config.toml, is the one of this stack.
 *  @param apiUrl Where this stack's API really is.
 *  @param apiPort The port that config.toml gives it. */
export function createRoute(apiUrl: string, apiPort: number): (url: URL) => URL {
  const api = new URL(apiUrl)
  const to = (url: URL, protocol: string, hostname: string, port: string): URL => {
    const routed = new URL(url)
    routed.protocol = protocol
    routed.hostname = hostname
    routed.port = port
    return routed
  }
  return (url) => {
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
    const isHere = HERE.includes(url.hostname)
    if (GATEWAY.test(url.hostname) || ((isHere || LOOPBACK.includes(url.hostname)) && port === apiPort))
      return to(url, api.protocol, api.hostname, api.port)
    return isHere ? to(url, url.protocol, '127.0.0.1', url.port) : url
  }
}
