/** Names of the API gateway inside Docker, where a project's database usually runs. */
const GATEWAY = /^(?:kong|supabase[_-]kong[_-].*|supabase-kong)$/
/** Names of the host machine inside Docker. */
const HOST_NAMES = ['host.docker.internal', 'gateway.docker.internal', 'docker.for.mac.localhost', '172.17.0.1']
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** Redirects URLs in a project's SQL to this stack's API: those of the API in Docker, or with the port of config.toml.
 *  @param apiUrl This stack's API.
 *  @param apiPort The API's port in config.toml. */
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
    const isHost = HOST_NAMES.includes(url.hostname)
    if (GATEWAY.test(url.hostname) || ((isHost || LOOPBACK.includes(url.hostname)) && port === apiPort))
      return to(url, api.protocol, api.hostname, api.port)
    return isHost ? to(url, url.protocol, '127.0.0.1', url.port) : url
  }
}
