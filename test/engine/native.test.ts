import { createNativeEngine } from '../../src/engine/native/engine.ts';
import { describeConformance } from './conformance.ts';

describeConformance('native', createNativeEngine, ['openai-chat', 'anthropic']);
