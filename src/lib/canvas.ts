/** Creates a canvas of at least one pixel. @param width In pixels, like `height`. */
export function createCanvas(width: number, height: number): HTMLCanvasElement {
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.floor(width))
  canvas.height = Math.max(1, Math.floor(height))
  return canvas
}

/** Encodes a canvas as an image; unsupported types become PNG.
 *  @param quality 0 to 1, if the type has it.
 *  @throws if the browser can't encode it, for example because it's too large. */
export function encodeCanvas(canvas: HTMLCanvasElement, type: string, quality?: number): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error('This browser cannot draw the page.'))),
      type,
      quality,
    )
  })
}

/** Draws an image on white: transparency would turn black in formats without it.
 *  @param place The image's position in pixels; it may exceed the edges. */
export function drawOnWhite(
  canvas: HTMLCanvasElement,
  image: ImageBitmap,
  place: { left: number; width: number; height: number },
): void {
  const context = canvas.getContext('2d')
  if (!context) throw new Error('This browser cannot draw the image.')
  context.fillStyle = 'white'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.imageSmoothingQuality = 'high'
  context.drawImage(image, place.left, 0, place.width, place.height)
}
