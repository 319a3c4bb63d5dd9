import { useEffect, useRef, useState } from 'preact/hooks'

/** The width of an element in pixels, so that what is drawn in it is drawn to scale; 0 until it is known. */
export function useWidth<E extends Element>() {
  const ref = useRef<E>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)))
    observer.observe(ref.current!)
    return () => observer.disconnect()
  }, [])
  return [ref, width] as const
}
