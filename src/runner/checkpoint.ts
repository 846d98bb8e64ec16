export { checkpoint } from '../store/checkpoint.ts';
