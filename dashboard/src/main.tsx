import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { FirstSteps } from './first-steps.tsx';
import './theme.css';

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <FirstSteps />
  </StrictMode>,
);
