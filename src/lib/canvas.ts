/** A canvas of at least one pixel.
 *  @param width In pixels, as `height`. */
export function createCanvas(width: number, height: number): HTMLCanvasElement {
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.floor(width))
  canvas.height = Math.max(1, Math.floor(height))
  return canvas
}

/** The canvas as an image file. A browser that cannot write the type writes PNG.
 *  @param quality Between 0 and 1, for types that have one.
 *  @throws when the browser writes no image at all, as for a canvas that is too large. */
export function encodeCanvas(canvas: HTMLCanvasElement, type: string, quality?: number): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error('This browser cannot draw the page.'))),
      type,
      quality,
    )
  })
}

/** Draws an image on white: what is transparent would become black in formats without transparency.
 *  @param place Where the image is on the canvas, in pixels; it may reach beyond the edges. */
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
