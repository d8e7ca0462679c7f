import { useEffect, useState } from 'react';

/** The width of an element in whole pixels, as it changes; `ref` goes on the element. */
export function useElementWidth(): { ref(element: HTMLElement | null): void; width: number } {
  const [element, setElement] = useState<HTMLElement | null>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth)));
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  return { ref: setElement, width };
}
