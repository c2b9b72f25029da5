// Replaces https://deno.land/x/xhr, which provides XMLHttpRequest to older packages. Based on fetch, so without a
// synchronous mode.
class XMLHttpRequest extends EventTarget {
  static UNSENT = 0
  static OPENED = 1
  static HEADERS_RECEIVED = 2
  static LOADING = 3
  static DONE = 4

  readyState = 0
  status = 0
  statusText = ''
  response = null
  responseType = ''
  responseURL = ''
  timeout = 0
  withCredentials = false
  upload = new EventTarget()
  #request = { method: 'GET', url: '', headers: new Headers() }
  #headers = new Headers()
  #ended = new AbortController()

  get responseText() {
    return typeof this.response === 'string' ? this.response : ''
  }

  open(method, url, async = true) {
    if (!async) throw new DOMException('XMLHttpRequest cannot be synchronous here', 'InvalidAccessError')
    this.#request = { method, url: String(url), headers: new Headers() }
    this.#ended = new AbortController()
    this.#become(1)
  }

  setRequestHeader(name, value) {
    this.#request.headers.append(name, value)
  }

  getResponseHeader(name) {
    return this.#headers.get(name)
  }

  getAllResponseHeaders() {
    return [...this.#headers].map(([name, value]) => `${name}: ${value}\r\n`).join('')
  }

  abort() {
    this.#ended.abort()
  }

  send(body = null) {
    const { method, url, headers } = this.#request
    const signals = [this.#ended.signal, ...(this.timeout > 0 ? [AbortSignal.timeout(this.timeout)] : [])]
    this.#receive(new Request(url, { method, headers, body, signal: AbortSignal.any(signals) })).catch((error) => {
      this.status = 0
      this.#become(4)
      this.#tell(error?.name === 'TimeoutError' ? 'timeout' : error?.name === 'AbortError' ? 'abort' : 'error')
      this.#tell('loadend')
    })
  }

  async #receive(request) {
    const answer = await fetch(request)
    this.status = answer.status
    this.statusText = answer.statusText
    this.responseURL = answer.url
    this.#headers = answer.headers
    this.#become(2)
    this.response = await this.#read(answer)
    this.#become(4)
    this.#tell('load')
    this.#tell('loadend')
  }

  #read(answer) {
    switch (this.responseType) {
      case 'arraybuffer':
        return answer.arrayBuffer()
      case 'blob':
        return answer.blob()
      case 'json':
        return answer.json().catch(() => null)
      default:
        return answer.text()
    }
  }

  #become(state) {
    this.readyState = state
    this.#tell('readystatechange')
  }

  /** Calls the listeners and the `on…` handler. */
  #tell(type) {
    const event = new Event(type)
    try {
      this[`on${type}`]?.(event)
    } catch (error) {
      reportError(error)
    }
    this.dispatchEvent(event)
  }
}

globalThis.XMLHttpRequest ??= XMLHttpRequest
